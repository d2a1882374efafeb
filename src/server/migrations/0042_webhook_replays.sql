-- How often a delivery was begun anew; and how often that was when its lane was claimed for it. Where the two
-- differ, a replay was asked for while a try was under way, and the outcome of that try does not end it.
alter table webhook_deliveries add column replays int not null default 0;
alter table webhook_lanes add column replays int not null default 0;
