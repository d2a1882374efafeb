import { pollAtFullRate } from '#server/infra/polling.ts';

// Tests move times in the database, without a wake-up.
pollAtFullRate();
