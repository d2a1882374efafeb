-- Random ids need no index that keeps them apart over all accounts, which a distributed database does not have.
drop index webhooks_by_id;
create index webhooks_by_id on webhooks (webhook_id);
