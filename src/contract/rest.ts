import type * as z from 'zod/mini';
import type { RefusalCode } from '#contract/base/refusals.ts';
import { accountEndpoints } from './rest/account.ts';
import { type Endpoint, alwaysRefused } from './rest/endpoint.ts';
import { mediaEndpoints } from './media.ts';
import { messageEndpoints } from './rest/messages.ts';
import { optoutEndpoints } from './messages/optouts.ts';
import { templateEndpoints } from './messages/templates.ts';
import { eventEndpoints, webhookEndpoints } from './webhooks.ts';

/** All endpoints of the API; HEAD works wherever GET does, and OPTIONS everywhere. */
export const apiEndpoints = {
  ...messageEndpoints,
  ...mediaEndpoints,
  ...accountEndpoints,
  ...optoutEndpoints,
  ...templateEndpoints,
  ...webhookEndpoints,
  ...eventEndpoints,
} as const;
export type ApiEndpoint = keyof typeof apiEndpoints;

export const apiRefusals: readonly RefusalCode[] = [
  ...new Set<RefusalCode>([
    ...alwaysRefused,
    ...Object.values<Endpoint>(apiEndpoints).flatMap(({ refuses }) => refuses),
  ]),
];

type Part<Name extends ApiEndpoint, Key extends keyof Endpoint> = Key extends keyof Registry[Name]
  ? Registry[Name][Key]
  : undefined;
type Registry = typeof apiEndpoints;

type Read<Declared> = Declared extends () => z.ZodMiniType
  ? z.output<ReturnType<Declared>>
  : undefined;

/** The parsed query and body of a call, and its successful response. */
export type QueryOf<Name extends ApiEndpoint> = Read<Part<Name, 'query'>>;
export type BodyOf<Name extends ApiEndpoint> = Read<Part<Name, 'body'>>;
export type AnswerOf<Name extends ApiEndpoint> = Read<Part<Name, 'answer'>>;
