-- Whether a token has ever let its receivers choose: what comes in for any other is looked at no further.
alter table lanes add column has_choices boolean not null default false;
