/** Which thing, and whose: public ids, as the address has them. */
export type ThingProps = { accountId: string; id: string };
