import { newId } from '#server/infra/ids.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import { identifier } from '#server/infra/postgres/sql.ts';

export type FilledAccount = { accountId: string; tokenIds: readonly string[]; messages: number };

const TOKENS = 3;
/** Rows per statement: an interrupted bench waits for at most one. */
const CHUNK = 500_000;

/**
 * Creates one new account for each number of messages, spread evenly over the `days` before `end`, with the mix of a
 * busy shop: one in ten is incoming, nine in ten are texts, most are read; 50 messages to a phone, phones of all
 * operators. Rollups and conversations agree with them; the wallet has no entries for them (prices are zero).
 *
 * The indexes of `messages` are built after its rows, so no other session may use the database meanwhile.
 */
export async function fillMessages(
  owner: Sql,
  { sizes, days, end }: { sizes: readonly number[]; days: number; end: Date },
): Promise<FilledAccount[]> {
  const spanMs = days * 86_400_000;
  const firstMs = end.getTime() - spanMs;
  await owner`select ensure_message_partitions(${new Date(firstMs)}, ${Math.ceil(days / 28) + 2})`;
  await owner`select set_config('synchronous_commit', 'off', false),
    set_config('maintenance_work_mem', '1GB', false), set_config('work_mem', '256MB', false)`;
  const accounts = await Promise.all(sizes.map((messages) => openAccount(owner, messages)));
  const makeIndexes = await dropIndexes(owner);
  for (const { accountId, tokenIds, messages } of accounts) {
    for (let from = 0; from < messages; from += CHUNK) {
      const upto = Math.min(messages, from + CHUNK) - 1;
      await fillChunk(owner, { accountId, tokenIds, messages, firstMs, spanMs, from, upto });
    }
  }
  await fillConversations(owner);
  await fillRollups(owner);
  await makeIndexes();
  await owner.query('vacuum (freeze, analyze)');
  return accounts;
}

async function openAccount(owner: Sql, messages: number): Promise<FilledAccount> {
  const accountId = newId();
  const tokenIds = Array.from({ length: TOKENS }, () => newId());
  await owner`insert into accounts (account_id, name) values (${accountId}, 'Toko Ramai')`;
  await owner`select open_wallet(${accountId})`;
  for (const [n, tokenId] of tokenIds.entries()) {
    await owner`
      insert into tokens (account_id, token_id, name, channel, status, phone, key_hint)
      values (${accountId}, ${tokenId}, ${`Toko ${n + 1}`}, 'simulator', 'linked',
              ${`62811000000${n}`}, 'abcd')`;
  }
  return { accountId, tokenIds, messages };
}

/** Drops the indexes; returns a function that rebuilds them, in a tenth of the time. */
async function dropIndexes(owner: Sql): Promise<() => Promise<void>> {
  const indexes = await owner<{ name: string; made: string; key: string | null }[]>`
    select i.indexrelid::regclass::text as name, replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ') as made,
      pg_get_constraintdef(c.oid) as key
    from pg_index i left join pg_constraint c on c.conindid = i.indexrelid
    where i.indrelid = 'messages'::regclass`;
  for (const { name, key } of indexes) {
    await (key === null
      ? owner`drop index ${identifier(name)}`
      : owner`alter table messages drop constraint ${identifier(name)}`);
  }
  return async () => {
    for (const { name, made, key } of indexes) {
      await owner.query(
        key === null ? made : `alter table messages add constraint "${name}" ${key}`,
      );
    }
  };
}

type Chunk = {
  accountId: string;
  tokenIds: readonly string[];
  messages: number;
  firstMs: number;
  spanMs: number;
  from: number;
  upto: number;
};

/** Random numbers are hashes of the row's number, so every fill is the same. */
async function fillChunk(owner: Sql, chunk: Chunk): Promise<void> {
  const { accountId, tokenIds, messages, firstMs, spanMs, from, upto } = chunk;
  const phones = Math.max(1, Math.round(messages / 50));
  await owner`
    insert into messages (
      account_id, message_id, token_id, peer, direction, type, body, status, price, created_at
    )
    select ${accountId}, id, (${tokenIds}::uuid[])[1 + phone % ${TOKENS}::int],
      '628' || (${operators}::text[])[1 + (phone / ${TOKENS}::int) % ${operators.length}::int]
        || lpad(((phone::bigint * 7919007) % 100000000)::text, 8, '0'),
      case when inbound then 'in' else 'out' end, kind,
      ${bodyOf(owner, messages)},
      case
        when inbound then 'received'
        when ${messages}::int - i <= 10 then 'queued'
        when fate < 550 then 'read'
        when fate < 870 then 'delivered'
        when fate < 940 then 'sent'
        when fate < 990 then 'failed'
        when fate < 995 then 'expired'
        else 'cancelled'
      end, 0, uuid_time(id)
    from (
      select i, (hashint4(i) & 2147483647) % ${phones}::int as phone,
        (hashint4(i + 1000000007) & 2147483647) % 10 = 0 as inbound,
        (hashint4(i + 1300000003) & 2147483647) % 1000 as fate,
        (array['image', 'document', 'contact', 'video'])[1 + (hashint4(i + 7) & 2147483647) % 40] as rare,
        overlay(
          uuid_floor(to_timestamp((${firstMs}::float8 + i * (${spanMs}::float8 / ${messages}::int)) / 1000.0))::text
          placing substr(md5(i::text), 1, 12) from 25
        )::uuid as id
      from generate_series(${from}::int, ${upto}::int) as i
    ) dice
    cross join lateral (
      select coalesce(rare, 'text') as kind, (hashint4(i + 23) & 2147483647) % 1000 as theme,
        (${names}::text[])[1 + (hashint4(i + 29) & 2147483647) % ${names.length}::int] as name,
        (${goods}::text[])[1 + (hashint4(i + 31) & 2147483647) % ${goods.length}::int] as goods,
        (${couriers}::text[])[1 + (hashint4(i + 37) & 2147483647) % ${couriers.length}::int] as courier
    ) typed
    order by id`;
}

/**
 * The text of a message, as shops write: *pesanan* is in half of the texts, *garansi* in one of a thousand, *keramik*
 * in some five of an account; its own numbers are in one each.
 */
const bodyOf = (owner: Sql, messages: number) => owner`
  case kind
    when 'text' then jsonb_build_object('text', concat(
      case
        when theme < 500 then format(
          'Halo Kak %s, pesanan INV-%s sudah kami kirim lewat %s. Nomor resi JP%s. Terima kasih sudah berbelanja di Toko Ramai!',
          name, i, courier, i::bigint * 7919
        )
        when theme < 650 then format(
          'Tagihan INV-%s sebesar Rp%s jatuh tempo tanggal %s. Mohon segera dibayar ya Kak %s.',
          i, theme * 1250, 1 + theme % 28, name
        )
        when theme < 800 then format(
          'Selamat pagi, apakah %s ukuran %s masih tersedia? Saya mau pesan %s.', goods, 36 + theme % 9, 1 + theme % 5
        )
        when theme < 900 then format(
          'Stok %s sudah datang lagi, Kak %s. Diskon %s%% sampai akhir bulan, langsung balas pesan ini ya.',
          goods, name, theme % 50
        )
        else format('Baik Kak %s, %s kami siapkan hari ini dan diantar besok siang.', name, goods)
      end,
      case when (hashint4(i + 11) & 2147483647) % 1000 = 0 then ' Kartu garansi ada di dalam paket.' end,
      case when i % ${Math.ceil(messages / 5)}::int = 7 then ' Mohon maaf, mangkuk keramik pecah di jalan.' end
    ))
    when 'contact' then jsonb_build_object('name', name, 'phone', '6281234567890')
    else jsonb_build_object('link', 'https://toko.example/' || i, 'caption', format('Foto %s nomor %s', goods, i))
  end`;

/** The digits after 628, by the operators' market shares: 0812 is one number in ten. */
const operators =
  '11 12 12 13 13 14 15 16 17 18 19 21 22 23 31 38 51 52 52 53 55 56 57 58 59 77 78 81 82 83 85 87 88 95 96 97'.split(
    ' ',
  );

const names =
  'Budi Siti Agus Dewi Eko Fitri Gilang Hana Indra Joko Kartika Lestari Made Nurul Oka Putri Rizky Sari Tono Wulan'.split(
    ' ',
  );
const goods =
  'sepatu,kemeja batik,gamis,kerudung,tas selempang,sandal,kopi Gayo,sambal roa,madu hutan,kue nastar,kipas angin,lampu meja'.split(
    ',',
  );
const couriers = ['JNE', 'SiCepat', 'AnterAja', 'Ninja', 'kurir toko'];

const fillConversations = (owner: Sql) => owner`
  insert into conversations (
    account_id, token_id, peer, peer_name, seq, last_message_id, last_at, unread
  )
  select account_id, token_id, peer, 'Pelanggan ' || right(peer, 4), count(*),
    max(message_id::text)::uuid, max(created_at), (right(peer, 2) = '11')::int
  from messages group by account_id, token_id, peer`;

async function fillRollups(owner: Sql): Promise<void> {
  await owner`
    insert into rollups (account_id, hour, token_id, direction, status, type, messages, cost)
    select account_id, date_trunc('hour', created_at) as hour, token_id, direction, status, type,
      count(*), sum(price)
    from messages group by 1, 2, 3, 4, 5, 6 order by hour`;
  // Statuses that messages passed through leave rows with a count of zero.
  await owner`
    insert into rollups (account_id, hour, token_id, direction, status, type, messages, cost)
    select distinct r.account_id, r.hour, r.token_id, 'out', s.status, r.type, 0, 0
    from rollups r, unnest(array['queued', 'sent', 'delivered']) as s(status)
    where r.direction = 'out'
    on conflict do nothing`;
  await owner`
    insert into rollup_sums (
      account_id, grain, since, token_id, direction, status, type, messages, cost
    )
    select account_id, grain, wib_since(grain, hour), token_id, direction, status, type, sum(messages), sum(cost)
    from rollups cross join unnest(array['day', 'month']) as grain
    group by 1, 2, 3, 4, 5, 6, 7 order by 3`;
}
