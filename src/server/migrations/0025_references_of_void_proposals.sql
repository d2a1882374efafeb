-- A reference of the bank is held by what was booked with it. Of a proposal that still waits, claimReference
-- sees to it, which knows the time: one that is void after its seven days holds nothing any more.
drop index adjustment_reference_once;
create unique index adjustment_reference_once
  on adjustments (gl_account, upper(reference))
  where reference is not null and status = 'done';
