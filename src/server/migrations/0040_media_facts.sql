-- What is known of a picture in the library, for those who ask the API for a file.

alter table media_library
  -- Upright, in pixels; null of what is no picture, and of what came before.
  add column width int,
  add column height int;
