-- Prices and tax rates, dated: the row with the newest valid_from that has begun holds.
create table prices (
  category    text not null,
  price       bigint not null check (price >= 0),
  valid_from  timestamptz not null,
  primary key (category, valid_from)
);
insert into prices values ('message', 150, '2000-01-01T00:00:00+07:00');
grant select on prices to kabari_app;

-- A tax of num/den on a base of dpp_num/dpp_den of the price: PPN is 12 % of 11/12 (PMK 131/2024).
create table tax_rates (
  code        text not null,
  num         bigint not null check (num >= 0),
  den         bigint not null check (den > 0),
  dpp_num     bigint not null check (dpp_num >= 0),
  dpp_den     bigint not null check (dpp_den > 0),
  valid_from  timestamptz not null,
  primary key (code, valid_from)
);
insert into tax_rates values ('ppn', 12, 100, 11, 12, '2025-01-01T00:00:00+07:00');
grant select on tax_rates to kabari_app;
