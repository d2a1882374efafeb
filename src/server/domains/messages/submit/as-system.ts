import { rupiah } from '#contract/base/money.ts';
import { hasOptedOut } from '#server/domains/messages/optouts.ts';
import { type RenderedTemplate, codeTemplate } from '#server/domains/messages/templates.ts';
import { newId } from '#server/infra/ids.ts';
import type { Sql } from '#server/infra/postgres/database.ts';
import type { Intake } from './accept.ts';
import { channelOf } from './place.ts';

type Deps = {
  /** Sees all accounts: the system account has no caller. */
  allAccountsSql: Sql;
  system: { accountId: string; tokenId: string };
  now: () => Date;
  intake: Intake;
};

type CodesBy = 'text' | 'nothing' | RenderedTemplate;

type SystemText = {
  to: string;
  text: string;
  shown: string;
  key?: string;
  /** The one-time code in the text, for networks that accept codes only in templates. */
  code?: string | undefined;
};
type SystemNotice = { to: string; text: string; key: string; expiresAt: Date };

export type AsSystem = {
  /**
   * Sends a text. At rest the message shows `shown`; the text itself is in its dispatch row until it is sent
   * (docs/wire.md#message-states).
   *
   * @throws Error while it cannot be sent.
   */
  sendAsSystem: (text: SystemText) => Promise<void>;
  /**
   * Sends a text without a code in the same way, after all waiting codes, at the token's pace. Idempotent by key.
   *
   * @returns false when its receiver has opted out. @throws Error while it cannot be sent.
   */
  sendNoticeAsSystem: (notice: SystemNotice) => Promise<boolean>;
  codesBy: () => Promise<CodesBy>;
};

const SYSTEM_TTL_MS = 5 * 60_000;

export function openAsSystem(deps: Deps): AsSystem {
  const { allAccountsSql, system, now } = deps;
  return {
    sendAsSystem: async ({ to, text, shown, key, code }) => {
      // Looked up without a code, too, so that a known number, which gets a text instead of a code, takes the same
      // time.
      const by = await codesBy(deps);
      const template = code === undefined ? undefined : templateOfCodes(by);
      await place(deps, {
        ...(template ?? textOf(shown)),
        to,
        key,
        priority: 0,
        secret: template === undefined ? text : code,
        expiresAt: new Date(now().getTime() + SYSTEM_TTL_MS),
      });
    },
    sendNoticeAsSystem: async ({ text, ...notice }) => {
      if (await hasOptedOut(allAccountsSql, system, notice.to)) return false;
      await place(deps, { ...textOf(text), ...notice, priority: 2 });
      return true;
    },
    codesBy: () => codesBy(deps),
  };
}

async function codesBy({ allAccountsSql: sql, system }: Deps): Promise<CodesBy> {
  if ((await channelOf(sql, system)) !== 'cloud') return 'text';
  return (await codeTemplate(sql, system.accountId)) ?? 'nothing';
}

type Words = { type: 'text' | 'template'; body: object };

const textOf = (text: string): Words => ({ type: 'text', body: { text } });

/** The template of codes with the code hidden; undefined when its network accepts a text. */
function templateOfCodes(by: CodesBy): Words | undefined {
  if (by === 'text') return undefined;
  if (by === 'nothing') throw new Error('the system token has no template for codes');
  const { category: _, parameters: __, ...body } = by;
  return { type: 'template', body };
}

type SystemItem = Words & {
  to: string;
  key: string | undefined;
  priority: number;
  expiresAt: Date;
  secret?: string | undefined;
};

/** @throws Error when it is not accepted. */
async function place(
  { system: { accountId, tokenId }, now, intake }: Deps,
  { to, key, ...rest }: SystemItem,
): Promise<void> {
  const hash = Buffer.alloc(0);
  const item = { id: newId(now().getTime()), tokenId, peer: to, price: rupiah(0), hash, ...rest };
  const { results } = await intake.accept({ accountId, tokenId, key, hash, items: [item] });
  const outcome = results[0]?.outcome;
  if (outcome !== 'accepted') throw new Error(`the system token cannot send: ${outcome}`);
}
