export type RecordProps = { accountId: string; id: string };
