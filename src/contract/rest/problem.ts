import * as z from 'zod/mini';
import { type Output, schema } from '#contract/base/schema.ts';

/** RFC 9457 problem details, as every error of `/v1` answers. */
export const Problem = schema(() =>
  z.object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string(),
    request_id: z.string(),
    retryable: z.boolean(),
    fields: z.optional(z.record(z.string(), z.string())),
  }),
);
export type Problem = Output<typeof Problem>;
