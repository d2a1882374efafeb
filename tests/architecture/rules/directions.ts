import {
  type Rule,
  type Sources,
  cyclesIn,
  importsIn,
  importsOf,
  pathOf,
  sourcesIn,
} from './sources.ts';

const serverLayers: Record<string, readonly string[]> = {
  main: ['app', 'http', 'infra'],
  app: ['http', 'domains', 'infra'],
  http: ['domains', 'infra'],
  domains: ['infra'],
  infra: [],
};

/** Allowed imports between domains, through their public API. Cycles are forbidden. */
const allowedDomains: Record<string, readonly string[]> = {
  ledger: [],
  accounts: [],
  events: [],
  media: [],
  pricing: [],
  tokens: ['accounts'],
  channels: ['accounts', 'tokens', 'media'],
  messages: ['ledger', 'tokens', 'channels', 'pricing', 'events', 'media'],
  payments: ['ledger', 'accounts', 'pricing'],
  push: ['accounts', 'events'],
  broadcasts: ['accounts', 'billing', 'tokens'],
  campaigns: ['events', 'media', 'messages', 'tokens'],
  exports: ['events'],
  webhooks: ['accounts', 'events', 'messages', 'tokens'],
  billing: ['accounts', 'events', 'ledger', 'pricing', 'tokens'],
  // Support cards and help are written from what each of these domains shows.
  support: [
    'accounts',
    'billing',
    'events',
    'ledger',
    'media',
    'messages',
    'payments',
    'push',
    'tokens',
  ],
};
const unrestrictedDomains = ['operator'];

const webFolders: Record<string, readonly string[]> = {
  'main.tsx': ['app', 'api', 'browser'],
  app: ['features', 'live', 'api', 'ui', 'browser'],
  features: ['live', 'api', 'ui', 'browser'],
  live: ['api', 'ui', 'browser'],
  ui: ['api', 'browser'],
  api: ['browser'],
  browser: [],
  'service-worker': ['browser'],
};
/** The web folders whose parts stories show, and the file that opens the gallery. */
const shownByStories = ['ui', 'api', 'browser'];
const GALLERY_ROUTE = 'src/web/app/routes/routes.ts';

/** `src/server/domains/messages/send.ts` → `domains`, `src/server/main.ts` → `main`. */
const layerOf = (file: string): string => file.split('/')[2]?.replace(/\.ts$/, '') ?? '';
const partOf = (file: string): string => file.split('/')[3] ?? '';
const sideOf = (file: string): string => file.split('/')[1] ?? '';

const isPublic = (file: string): boolean =>
  /^src\/server\/domains\/(\w+)\/\1\.ts$/.test(file) ||
  /^src\/server\/domains\/channels\/([\w-]+)\/\1\.ts$/.test(file);

const listed = (names: readonly string[] = []): string => names.join(', ') || 'nothing of it';

/** `main → app → http → domains → infra`; a domain is imported by its public file, and imports allowed domains. */
export const serverDirections: Rule = (sources) => {
  const wrong: string[] = [];
  for (const [file, imports] of importsIn(sources, 'src/server')) {
    for (const other of imports.filter((path) => path.startsWith('src/server/'))) {
      const why = serverViolation(file, other);
      if (why) wrong.push(`${file} imports ${other}: ${why}`);
    }
  }
  return wrong;
};

function serverViolation(file: string, other: string): string | undefined {
  const [from, to] = [layerOf(file), layerOf(other)];
  if (from !== to && !serverLayers[from]?.includes(to)) {
    return `${from} imports ${listed(serverLayers[from])}; pass what it needs of ${to} in from app`;
  }
  if (to !== 'domains' || (from === to && partOf(file) === partOf(other))) return undefined;
  const [domain, known] = [partOf(file), partOf(other)];
  if (
    from === to &&
    !unrestrictedDomains.includes(domain) &&
    !allowedDomains[domain]?.includes(known)
  ) {
    return `${domain} may import ${listed(allowedDomains[domain])}; pass what ${known} does in from app/container.ts`;
  }
  return isPublic(other)
    ? undefined
    : `import ${known} by its public API; export it from src/server/domains/${known}/${known}.ts`;
}

/** `app → features → live → {api, ui, browser}`; a feature imports others by their public file. */
export const webDirections: Rule = (sources) => {
  const wrong: string[] = [];
  for (const [file, imports] of importsIn(sources, 'src/web')) {
    for (const other of imports.filter((path) => /^(?:src\/web|stories)\/.*\.tsx?$/.test(path))) {
      const why = other.startsWith('stories/')
        ? file !== GALLERY_ROUTE && `only ${GALLERY_ROUTE} opens the gallery`
        : webViolation(file, other);
      if (why) wrong.push(`${file} imports ${other}: ${why}`);
    }
  }
  for (const [file, imports] of importsIn(sources, 'stories')) {
    for (const other of imports.filter((path) => path.startsWith('src/web/'))) {
      if (shownByStories.includes(other.split('/')[2] ?? '')) continue;
      wrong.push(`${file} imports ${other}: stories show ${listed(shownByStories)}`);
    }
  }
  return wrong;
};

function webViolation(file: string, other: string): string | undefined {
  const [from, to] = [file.split('/')[2] ?? '', other.split('/')[2] ?? ''];
  if (from !== to && !webFolders[from]?.includes(to)) {
    return `${from} imports ${listed(webFolders[from])}; pass it in from above, or move the shared part down`;
  }
  const known = partOf(other);
  if (from !== 'features' || to !== 'features' || partOf(file) === known) return undefined;
  return other === `src/web/features/${known}/${known}.ts`
    ? undefined
    : `import ${known} by its public file; export it from src/web/features/${known}/${known}.ts`;
}

/** Server and web import the contract but not each other; the contract imports neither. */
export const sides: Rule = (sources) => {
  const wrong: string[] = [];
  for (const [file, imports] of importsIn(sources, 'src')) {
    const side = sideOf(file);
    for (const other of imports.filter((path) => path.startsWith('src/'))) {
      if (sideOf(other) === side || (sideOf(other) === 'contract' && side !== 'contract')) continue;
      wrong.push(
        `${file} imports ${other}: web and server share only the contract; declare it there`,
      );
    }
  }
  return wrong;
};

export const packages: Rule = (sources) => {
  const wrong: string[] = [];
  for (const [file, text] of sourcesIn(sources, 'src')) {
    for (const name of importsOf(text)) {
      if (/^[.#]/.test(name)) continue;
      if (file.startsWith('src/contract/') && name !== 'zod/mini') {
        wrong.push(`${file} imports ${name}: the contract imports only zod/mini`);
      }
      if (file.startsWith('src/web/') && name.startsWith('node:')) {
        wrong.push(`${file} imports ${name}: browsers have no Node`);
      }
    }
  }
  return wrong;
};

const TRACING = 'src/server/infra/observability/tracing/';
/** The port and its lazy loader: the only tracing files that others may import. */
const PORT = [`${TRACING}tracing.ts`, `${TRACING}open-tracing.ts`];

export const tracingIsLazy: Rule = (sources) => {
  const wrong: string[] = [];
  for (const [file, text] of sourcesIn(sources, 'src')) {
    if (file.startsWith(TRACING) && !PORT.includes(file)) continue;
    const atOnce = file === PORT[1] ? text.replaceAll(/\bimport\(/g, 'later(') : text;
    const isType = (name: string) =>
      new RegExp(`import type [^;]*'${name.replaceAll('.', '\\.')}'`).test(text);
    for (const name of importsOf(atOnce)) {
      const path = pathOf(name, file) ?? name;
      const isBehind = path.startsWith(TRACING) && !PORT.includes(path) && !isType(name);
      if (isBehind || path.startsWith('@opentelemetry/')) {
        wrong.push(`${file} imports ${name}: only ${PORT[1]} loads it, where traces are on`);
      }
    }
  }
  return wrong;
};

export const importCycles: Rule = (sources) =>
  cyclesIn(importsIn(sources, 'src')).map(
    (group) => `${group.join(' ↔ ')}: move the shared part into a file that imports neither`,
  );

export const cyclesOfParts: Rule = (sources) => [
  ...cyclesOf(sources, 'src/server/domains'),
  ...cyclesOf(sources, 'src/web/features'),
];

function cyclesOf(sources: Sources, folder: string): string[] {
  const parts = new Map<string, string[]>();
  for (const [file, imports] of importsIn(sources, folder)) {
    const others = imports.filter((path) => path.startsWith(`${folder}/`)).map(partOf);
    parts.set(partOf(file), [...(parts.get(partOf(file)) ?? []), ...others]);
  }
  return cyclesIn(parts).map(
    (group) => `${folder}: ${group.join(' ↔ ')}: let app hand one what it needs of the other`,
  );
}

export const relativeImports: Rule = (sources) =>
  [...sources].flatMap(([file, text]) =>
    /\.(tsx?|mjs)$/.test(file)
      ? importsOf(text)
          .filter((name) => name.startsWith('../'))
          .map((name) => `${file} imports ${name}: name it from #contract, #server, #web or #tests`)
      : [],
  );
