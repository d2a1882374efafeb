export type ThingProps = { accountId: string; id: string };
