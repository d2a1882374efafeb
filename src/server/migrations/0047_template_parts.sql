-- What a network's template takes beside the variables of its body.

alter table message_templates
  -- The kind of the file above the text; null where there is none.
  add column header_file text check (header_file in ('image', 'video', 'document')),
  -- What each button of `buttons` is: a reply, an address or a code that every message fills in, or what needs nothing.
  -- Empty where all are replies.
  add column button_kinds text[] not null default '{}'
    check (button_kinds <@ array['reply', 'url', 'code', 'fixed']);
