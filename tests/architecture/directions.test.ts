import * as rules from './rules/directions.ts';
import { prove } from './rules/proof.ts';

const SERVER = 'src/server';
const imports = (...names: string[]): string =>
  names.map((name) => `import { it } from '${name}';`).join('\n');

prove([
  [
    'the server goes main → app → http → domains → infra',
    rules.serverDirections,
    {
      [`${SERVER}/main.ts`]: imports('./app/container.ts', '#server/domains/ledger/ledger.ts'),
      [`${SERVER}/app/container.ts`]: imports(
        '#server/domains/ledger/ledger.ts',
        '#server/http/server.ts',
      ),
      [`${SERVER}/http/server.ts`]: imports(
        '#server/infra/ids.ts',
        '#server/domains/media/media.ts',
        '#server/domains/media/files.ts',
      ),
      [`${SERVER}/domains/media/media.ts`]: "import type { Reply } from '#server/http/server.ts';",
      [`${SERVER}/infra/ids.ts`]:
        "export type Later = import('#server/app/container.ts').Container;",
    },
    [
      'main.ts imports src/server/domains/ledger/ledger.ts: main imports app, http, infra',
      'http/server.ts imports src/server/domains/media/files.ts: import media by its public API',
      'domains/media/media.ts imports src/server/http/server.ts: domains imports infra',
      'infra/ids.ts imports src/server/app/container.ts: infra imports nothing of it',
    ],
  ],
  [
    'a domain imports only allowed domains, by their public API',
    rules.serverDirections,
    {
      [`${SERVER}/app/container.ts`]: imports('#server/domains/media/files.ts'),
      [`${SERVER}/app/acts.ts`]: imports('#server/domains/channels/simulator/simulator.ts'),
      [`${SERVER}/domains/tokens/create.ts`]: imports(
        '#server/domains/accounts/accounts.ts',
        '#server/domains/messages/messages.ts',
      ),
      [`${SERVER}/domains/messages/send.ts`]: imports(
        '#server/domains/tokens/row.ts',
        './content.ts',
      ),
      [`${SERVER}/domains/operator/operator.ts`]: imports('#server/domains/payments/payments.ts'),
      [`${SERVER}/domains/pricing/pricing.ts`]: imports('#server/domains/accounts/accounts.ts'),
    },
    [
      'app/container.ts imports src/server/domains/media/files.ts: import media by its public API',
      'tokens may import accounts; pass what messages does in from app/container.ts',
      'messages/send.ts imports src/server/domains/tokens/row.ts: import tokens by its public API',
      'pricing may import nothing of it',
    ],
  ],
  [
    'the web goes app → features → live → {api, ui, browser}',
    rules.webDirections,
    {
      'src/web/app/routes.tsx': imports('#web/features/saldo/saldo.ts', '#web/live/stream.ts'),
      'src/web/live/stream.ts': imports('#web/api/query.ts', '#web/features/saldo/saldo.ts'),
      'src/web/api/query.ts': imports('#web/browser/storage.ts', '#web/ui/toast/toast.ts'),
      'src/web/ui/toast/toast.ts': imports('#stories/toast.story.tsx'),
      'stories/toast.story.tsx': imports(
        '#stories/gallery/Show.tsx',
        '#web/features/home/Home.tsx',
      ),
      'src/web/browser/storage.ts': "const later = () => import('#web/app/routes.tsx');",
    },
    [
      'live/stream.ts imports src/web/features/saldo/saldo.ts: live imports api, ui, browser',
      'api/query.ts imports src/web/ui/toast/toast.ts: api imports browser',
      'only src/web/app/routes/routes.ts opens the gallery',
      'browser/storage.ts imports src/web/app/routes.tsx: browser imports nothing of it',
      'stories/toast.story.tsx imports src/web/features/home/Home.tsx: stories show ui, api, browser',
    ],
  ],
  [
    'a web feature imports another by its public file',
    rules.webDirections,
    {
      'src/web/features/home/Home.tsx': imports('#web/features/saldo/saldo.ts', './Newest.tsx'),
      'src/web/features/home/Newest.tsx': imports('#web/features/messages/labels.ts'),
    },
    ['import messages by its public file'],
  ],
  [
    'web and server import the contract, and not each other',
    rules.sides,
    {
      'src/contract/money.ts': imports('#web/ui/money/money.ts'),
      'src/web/a.ts': imports('#contract/money.ts', '#server/infra/ids.ts'),
      'src/server/b.ts': imports('#contract/money.ts'),
    },
    ['src/contract/money.ts imports src/web', 'src/web/a.ts imports src/server'],
  ],
  [
    'the contract imports only zod, the web nothing of Node',
    rules.packages,
    {
      'src/contract/a.ts': imports('zod/mini', 'react'),
      'src/web/b.ts': imports('react', 'node:fs'),
      'src/server/c.ts': imports('node:fs'),
    },
    ['src/contract/a.ts imports react', 'src/web/b.ts imports node:fs'],
  ],
  [
    'only one file loads OpenTelemetry, lazily',
    rules.tracingIsLazy,
    {
      [`${SERVER}/app/a.ts`]: imports('@opentelemetry/api'),
      [`${SERVER}/app/b.ts`]: imports('#server/infra/observability/tracing/recorder.ts'),
      [`${SERVER}/app/c.ts`]: imports('#server/infra/observability/tracing/tracing.ts'),
      [`${SERVER}/infra/observability/tracing/open-tracing.ts`]:
        "import { a } from './provider.ts';\nawait import('./recorder.ts');",
      [`${SERVER}/infra/observability/tracing/recorder.ts`]: imports('@opentelemetry/sdk-trace'),
    },
    ['app/a.ts imports @opentelemetry/api', 'app/b.ts imports #server', 'imports ./provider.ts'],
  ],
  [
    'no import cycles between files, types included',
    rules.importCycles,
    {
      'src/server/infra/a.ts': imports('./b.ts'),
      'src/server/infra/b.ts': "import type { C } from './c.ts';",
      'src/server/infra/c.ts': "// import './d.ts'\nexport type A = import('./a.ts').A;",
      'src/server/infra/d.ts': imports('./a.ts', './c.ts'),
      'src/server/infra/a.test.ts': imports('./a.ts'),
    },
    ['src/server/infra/a.ts ↔ src/server/infra/b.ts ↔ src/server/infra/c.ts:'],
  ],
  [
    'no import cycles between domains or between features',
    rules.cyclesOfParts,
    {
      [`${SERVER}/domains/push/a.ts`]: imports('#server/domains/events/events.ts'),
      [`${SERVER}/domains/events/b.ts`]: imports('#server/domains/push/push.ts'),
      'src/web/features/home/a.ts': imports('#web/features/saldo/saldo.ts'),
      'src/web/features/saldo/b.ts': imports('#web/features/profile/profile.ts'),
      'src/web/features/profile/c.ts': imports('#web/features/home/home.ts'),
    },
    ['domains: events ↔ push', 'features: home ↔ profile ↔ saldo'],
  ],
  [
    'imports of another folder name it instead of climbing',
    rules.relativeImports,
    { 'tests/a/b.ts': imports('../c.ts', './d.ts'), 'tools/e.mjs': imports('../f.mjs') },
    ['tests/a/b.ts imports ../c.ts', 'tools/e.mjs imports ../f.mjs'],
  ],
]);
