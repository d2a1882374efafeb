-- Which tokens send a template that a network reviews: those whose numbers belong to a business account that approved it.

alter table message_templates add column token_ids uuid[] not null default '{}';

-- Until the network is read anew, as it was: all of the account's numbers there.
update message_templates t set token_ids = n.token_ids
from (select account_id, array_agg(token_id order by token_id) as token_ids
      from cloud_numbers group by account_id) n
where n.account_id = t.account_id and t.network_id is not null and t.status = 'approved';

alter table message_templates drop column waba_id;
