-- Which operator imported a line: it is no second pair of eyes for what they confirm themselves. Null for
-- lines of the simulated bank, and of before.
alter table bank_lines add column imported_by uuid;
