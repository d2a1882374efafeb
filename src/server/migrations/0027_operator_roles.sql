-- What an operator may do: `admin` everything, `support` and `money` what acts name them for
-- (src/contract/base/act.ts). Who was an operator before could do everything.

alter table users add column operator_roles text[] not null default '{}';
update users set operator_roles = '{admin}' where role = 'operator';
alter table users add constraint operators_have_roles check (
  operator_roles <@ '{support,money,admin}' and (role = 'operator') = (operator_roles <> '{}')
);
