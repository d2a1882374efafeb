-- Why a link failed, where that is known: see `linkFailures` in the contract.
alter table links add column failure text;
