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

/** One of many messages that was refused. */
export const RefusedItem = schema(() =>
  z.object({
    error: z.object({
      code: z.string(),
      detail: z.string(),
      retryable: z.boolean(),
      fields: z.optional(z.record(z.string(), z.string())),
    }),
  }),
);

/** The problem of `POST /v1/messages`: `data` says of each of many messages why it was refused. */
const SendProblem = schema(() => z.extend(Problem(), { data: z.optional(z.array(RefusedItem())) }));

/** The shapes of problems, by the names that `/v1/openapi.json` gives them. */
export const problems = { Problem, SendProblem } as const;
