-- append-snapshot: a new snapshot, at first in a moment of its own. The values are in the order of the
-- table, so that SQLite looks up no names.

INSERT INTO snapshot VALUES (NULL, ?1, ?2, ?3, ?4, ?5, ?5, ?6, 1, ?8, ?7, ?9, ?10, ?11, ?12, ?13, ?14, ?15,
  ?16, ?17, ?18, ?19, ?20, ?21, ?22);
