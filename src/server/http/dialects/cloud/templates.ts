import { createHash } from 'node:crypto';
import type { Template } from '#contract/messages/templates.ts';
import type { ApiSender } from '#server/http/access.ts';
import { CloudRefusal } from './errors.ts';
import { ownBusiness, picked } from './numbers.ts';
import { phrases } from './read/phrases.ts';
import type { CloudCall, CloudRoute } from './route.ts';
import { textAt } from '#server/infra/net/json-values.ts';

/** Access of this call to templates. */
export type TemplateDeps = {
  templates: { list: (sender: ApiSender) => Promise<readonly Template[]> };
};

const PAGE = 25;
const PAGE_MAX = 250;

/** `GET /{account-id}/message_templates`: the templates of the account as Meta lists them. */
export const templateRoutes = ({ templates }: TemplateDeps): readonly CloudRoute[] => [
  {
    method: 'GET',
    path: '/message_templates',
    scope: 'messages.read',
    handler: async (call) => {
      ownBusiness(call);
      const limit = limitOf(call);
      const all = (await templates.list(call.sender)).filter(filterOf(call));
      return pageOf(call, all, limit);
    },
  },
];

/** @throws CloudRefusal for what is no number from 1 */
function limitOf({ request, reader }: CloudCall): number {
  const given = textAt(request.query, 'limit');
  if (given === undefined) return PAGE;
  if (!/^[1-9]\d{0,8}$/.test(given)) {
    throw new CloudRefusal(100, { limit: phrases.limit[reader.language] });
  }
  return Math.min(Number(given), PAGE_MAX);
}

/** Meta searches names, and compares all else. */
function filterOf({ request: { query } }: CloudCall): (template: Template) => boolean {
  const filter = (name: string) => textAt(query, name)?.toLowerCase();
  const [name, status, category, language] = ['name', 'status', 'category', 'language'].map(filter);
  return (one) =>
    (name === undefined || one.name.includes(name)) &&
    (status === undefined || one.status === status) &&
    (category === undefined || one.category === category) &&
    (language === undefined || one.language.toLowerCase() === language);
}

/** A page, with the cursors and addresses by which clients go on. A cursor is the place of a row. */
function pageOf(call: CloudCall, all: readonly Template[], limit: number): object {
  const { request, reader } = call;
  const after = placeOf(textAt(request.query, 'after'));
  const before = placeOf(textAt(request.query, 'before'));
  const start = after === undefined ? Math.max(0, (before ?? 0) - limit) : after + 1;
  const end = after === undefined && before !== undefined ? before : start + limit;
  const rows = all.slice(start, end);
  const data = rows.map((one) => picked(nodeOf(one, call), call));
  if (rows.length === 0) return { data };
  const cursors = { before: cursorOf(start), after: cursorOf(start + rows.length - 1) };
  const addressOf = (cursor: object) => {
    const address = new URL(request.url, reader.origin);
    for (const name of ['after', 'before', 'access_token']) address.searchParams.delete(name);
    const key = textAt(request.query, 'access_token');
    const added = { ...(key !== undefined && { access_token: key }), limit: `${limit}`, ...cursor };
    for (const [name, value] of Object.entries(added)) address.searchParams.set(name, value);
    return address.href;
  };
  return {
    data,
    paging: {
      cursors,
      ...(start + rows.length < all.length && { next: addressOf({ after: cursors.after }) }),
      ...(start > 0 && { previous: addressOf({ before: cursors.before }) }),
    },
  };
}

const cursorOf = (place: number): string => Buffer.from(String(place)).toString('base64url');

/** The place behind a cursor; undefined for what is none of ours. */
function placeOf(cursor: string | undefined): number | undefined {
  const text = Buffer.from(cursor ?? '', 'base64url').toString('latin1');
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** A template as Meta names its parts. */
function nodeOf(template: Template, { businessId }: CloudCall): Record<string, unknown> {
  const { name, language, category, status, reason, variables } = template;
  const isNamed = variables.some((one) => !/^\d+$/.test(one));
  return {
    id: idOf(businessId, template),
    name,
    language,
    category: category.toUpperCase(),
    status: status.toUpperCase(),
    ...(status === 'rejected' && { rejected_reason: reason ?? 'NONE' }),
    parameter_format: isNamed ? 'NAMED' : 'POSITIONAL',
    components: componentsOf(template),
  };
}

function componentsOf(template: Template): object[] {
  const { header, header_file: file, body, footer, buttons, button_values: values } = template;
  const takes = new Map(values.map((one) => [one.index, one.takes]));
  return [
    ...(file === null ? [] : [{ type: 'HEADER', format: file.toUpperCase() }]),
    ...(file !== null || header === null ? [] : [{ type: 'HEADER', format: 'TEXT', text: header }]),
    { type: 'BODY', text: body },
    ...(footer === null ? [] : [{ type: 'FOOTER', text: footer }]),
    ...(buttons.length === 0
      ? []
      : [
          {
            type: 'BUTTONS',
            buttons: buttons.map((text, index) => buttonOf(text, takes.get(index))),
          },
        ]),
  ];
}

/** The end of an address is all that is known of it. */
function buttonOf(text: string, takes: 'url' | 'code' | undefined): object {
  if (takes === 'url') return { type: 'URL', text, url: '{{1}}' };
  return { type: takes === 'code' ? 'COPY_CODE' : 'QUICK_REPLY', text };
}

/** 16 digits, the same ones for the same template. */
function idOf(businessId: string, { name, language }: Template): string {
  const hash = createHash('sha256').update(`${businessId} ${name} ${language}`).digest();
  return String(1_000_000_000_000_000n + (hash.readBigUInt64BE() % 7_000_000_000_000_000n));
}
