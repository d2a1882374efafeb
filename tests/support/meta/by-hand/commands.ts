import type { FakeMeta } from '#tests/support/meta/fake-meta.ts';
import { allScopes } from '#tests/support/meta/state.ts';
import {
  type NewTemplate,
  type Template,
  type TemplateStatus,
  codeComponents,
} from '#tests/support/meta/templates.ts';
import { type Inbound, inboundTypes } from '#tests/support/meta/webhooks/inbound.ts';

export const help = `A customer writes       6281234567890 Halo
  or sends that type    6281234567890 /image
  without their number  /hidden 6281234567890 Halo
/webhook URL TOKEN      confirm an address with its verify token; webhooks go there from then on
/webhook                the last webhooks, and what they were answered
/sent                   the last messages that were accepted
/templates              the templates, and how they stand
/samples                adds approved ones: promo_contoh (picture, button), kode_contoh (codes)
/approve NAME           approve a template, in all its languages
/reject NAME            reject it
/quality EVENT          FLAGGED, UNFLAGGED, UPGRADE or DOWNGRADE of the number
/revoke                 the access token is refused from now on
/restore                it is taken again
/help                   this`;

const SHOWN = 10;

const orNone = (lines: readonly string[]): string => lines.join('\n') || 'None.';

/** Runs a typed command. @returns its output. */
export async function command(meta: FakeMeta, line: string): Promise<string> {
  const { control, token } = meta;
  const [name = '', ...words] = line.trim().split(/\s+/);
  const [first = '', second = ''] = words;
  switch (name) {
    case '/webhook':
      return first === '' ? lastPosts(meta) : confirm(meta, first, second);
    case '/sent':
      return orNone(control.sent().slice(-SHOWN).map(sentLine));
    case '/templates':
      return orNone(control.templates.list().map(templateLine));
    case '/samples':
      return addSamples(meta);
    case '/approve':
      return decide(meta, first, 'APPROVED');
    case '/reject':
      return decide(meta, first, 'REJECTED');
    case '/quality':
      control.phoneQuality(first.toUpperCase());
      return 'Told.';
    case '/revoke':
      control.tokens.revoke(token);
      return 'The access token is refused from now on.';
    case '/restore':
      control.tokens.add(token, allScopes);
      return 'The access token is taken again.';
    case '/hidden':
      return writeFrom(meta, words.join(' '), { isNumberHidden: true }) ?? help;
    default:
      return writeFrom(meta, line) ?? help;
  }
}

async function confirm({ control }: FakeMeta, url: string, verifyToken: string): Promise<string> {
  if (!URL.canParse(url)) return 'An address, a space, and its verify token.';
  const { isConfirmed, status } = await control.subscribe(url, verifyToken);
  return isConfirmed ? 'Confirmed.' : `Not confirmed: HTTP ${status}.`;
}

const lastPosts = ({ control }: FakeMeta): string =>
  orNone(
    control
      .deliveries()
      .slice(-SHOWN)
      .map(
        ({ fields, status, attempt, url }) =>
          `${fields.join(', ')}: HTTP ${status}, try ${attempt}, ${url}`,
      ),
  );

const sentLine = ({ to, type, body, failure }: ReturnType<FakeMeta['control']['sent']>[number]) =>
  `${to} ${type} ${JSON.stringify(body[type])}${failure === undefined ? '' : ` (fails with ${failure})`}`;

const templateLine = ({ name, language, category, status }: Template) =>
  `${name} ${language} ${category} ${status}`;

/** Templates of an established account, which only Meta's own pages can create. */
const samples: readonly NewTemplate[] = [
  {
    name: 'promo_contoh',
    category: 'MARKETING',
    components: [
      { type: 'HEADER', format: 'IMAGE' },
      { type: 'BODY', text: 'Halo {{1}}, minggu ini semua kopi diskon 20%.' },
      { type: 'FOOTER', text: 'Toko Contoh' },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'URL', text: 'Lihat promo', url: 'https://toko.example/promo/{{1}}' },
          { type: 'QUICK_REPLY', text: 'Berhenti promosi' },
        ],
      },
    ],
  },
  { name: 'kode_contoh', category: 'AUTHENTICATION', components: codeComponents },
];

function addSamples({ control: { templates } }: FakeMeta): string {
  const there = new Set(templates.list().map(({ name }) => name));
  for (const one of samples) if (!there.has(one.name)) templates.add(one);
  return orNone(templates.list().map(templateLine));
}

function decide({ control }: FakeMeta, name: string, status: TemplateStatus): string {
  const named = control.templates.list().filter((one) => one.name === name);
  for (const { id } of named) control.templates.setStatus(id, status);
  return named.length === 0 ? 'There is no such template.' : orNone(named.map(templateLine));
}

/** A number and a text: a customer writes. @returns undefined for anything else. */
function writeFrom(
  { control }: FakeMeta,
  line: string,
  how: Pick<Inbound, 'isNumberHidden'> = {},
): string | undefined {
  const [, phone, words] = /^\s*\+?(\d{5,})\s+(.+)$/.exec(line) ?? [];
  if (phone === undefined || words === undefined) return undefined;
  const type = inboundTypes.find((one) => words === `/${one}`);
  const message = type ? { type } : { type: 'text' as const, content: { body: words } };
  control.receiveFrom(phone, { ...message, ...how });
  return '';
}
