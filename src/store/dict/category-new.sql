-- category-new: empties the table of the categories that are decided before they are stored.

CREATE TEMP TABLE IF NOT EXISTS category_new (
  category_id INTEGER PRIMARY KEY,      -- below zero: the store did not have it
  category    TEXT NOT NULL UNIQUE
);
DELETE FROM category_new;
