import * as z from 'zod/mini';
import { type Output, schema } from '#contract/base/schema.ts';

/** `open`: somebody may have to act; `snoozed`: put off by an operator until a time or the next message. */
export const SupportStatus = schema(() => z.enum(['open', 'snoozed', 'closed']));
export type SupportStatus = Output<typeof SupportStatus>;

/** Who wrote it; `system` for what happened to the thread. */
export const SupportSide = schema(() => z.enum(['customer', 'operator', 'system']));
export type SupportSide = Output<typeof SupportSide>;

/** What somebody does in a thread right now: writes an answer, writes a note, or has it before their eyes. */
export const SupportDoing = schema(() => z.enum(['answer', 'note', 'look']));
export type SupportDoing = Output<typeof SupportDoing>;
