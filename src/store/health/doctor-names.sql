-- doctor-names: the number of categories; rules that name each file may reach the limit.
SELECT 'names' AS "check", n >= names_full AS level, n AS number, 'categories' AS unit, NULL AS value,
  CASE WHEN n >= names_full THEN 'and no room for more names from captures: mappings with new names get only a built-in '
      || 'category; apply rules that make fewer names: pmapdb rules --apply' ELSE printf('of at most %d', names_most) END AS detail
FROM (SELECT count(*) AS n FROM category), temp.doctor;
