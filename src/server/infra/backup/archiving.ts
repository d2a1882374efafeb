import type { Sql } from '#server/infra/postgres/database.ts';

/** Signs in the database that others back it up. */
export type Archiving = {
  isOn: boolean;
  lastArchivedAt: Date | null;
  lastFailedAt: Date | null;
  /** Physical slots in use by a standby or a WAL receiver. */
  activeSlots: number;
};

export async function readArchiving(owner: Sql): Promise<Archiving> {
  const [row] = await owner<
    { is_on: boolean; archived_at: Date | null; failed_at: Date | null; slots: number }[]
  >`
    select current_setting('archive_mode') <> 'off' as is_on,
      last_archived_time as archived_at, last_failed_time as failed_at,
      (select count(*)::int from pg_replication_slots where slot_type = 'physical' and active)
        as slots
    from pg_stat_archiver`;
  if (!row) throw new Error('the database answers nothing');
  return {
    isOn: row.is_on,
    lastArchivedAt: row.archived_at,
    lastFailedAt: row.failed_at,
    activeSlots: row.slots,
  };
}
