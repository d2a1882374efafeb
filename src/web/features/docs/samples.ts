/** The languages in which the examples are shown, in their order. */
export const languages = ['curl', 'node', 'php', 'python', 'go'] as const;
export type SampleLanguage = (typeof languages)[number];

export const languageTitle: Record<SampleLanguage, string> = {
  curl: 'curl',
  node: 'Node.js',
  php: 'PHP',
  python: 'Python',
  go: 'Go',
};

/** A call of the API, as an example with curl describes it. */
export type SampleRequest = {
  method: string;
  url: string;
  headers: readonly (readonly [name: string, value: string])[];
  /** The JSON that travels; undefined where there is none. */
  body: unknown;
};

/** Words of a shell: in single quotes as they are, else `$NAME` becomes `YOUR_NAME`. */
const word = /'([^']*)'|"((?:[^"\\]|\\.)*)"|([^\s'"]+)/g;

const named = (text: string): string => text.replaceAll(/\$(\w+)/g, 'YOUR_$1');

function wordsOf(script: string): string[] {
  const line = script.replaceAll('\\\n', ' ');
  return [...line.matchAll(word)].map(
    ([, single, double, bare = '']) => single ?? named(double ?? bare),
  );
}

/** Reads one call of curl as our documents write them; undefined for anything else. */
export function readCurl(script: string): SampleRequest | undefined {
  const [command, ...given] = wordsOf(script.trim());
  if (command !== 'curl') return undefined;
  const headers: [string, string][] = [];
  let [url, method, text]: (string | undefined)[] = [];
  for (let at = 0; at < given.length; at++) {
    const one = given[at] ?? '';
    if (one === '-H') {
      const [, name = '', value = ''] = /^([^:]+):\s*(.*)$/s.exec(given[++at] ?? '') ?? [];
      headers.push([name, value]);
    } else if (one === '-d') text = given[++at];
    else if (one === '-X') method = given[++at];
    else if (one.startsWith('-') || url !== undefined) return undefined;
    else url = one;
  }
  if (url === undefined || !/^https?:\/\//.test(url)) return undefined;
  try {
    const body: unknown = text === undefined ? undefined : JSON.parse(text);
    return { method: method ?? (body === undefined ? 'GET' : 'POST'), url, headers, body };
  } catch {
    return undefined;
  }
}

/** The same call in every language but curl. */
const writers: Record<Exclude<SampleLanguage, 'curl'>, (request: SampleRequest) => string> = {
  node: nodeSample,
  php: phpSample,
  python: pythonSample,
  go: goSample,
};

/** An example in a language; curl as it was written, and what is no call of curl in any of them. */
export function sampleIn(language: SampleLanguage, script: string): string {
  if (language === 'curl') return script;
  const request = readCurl(script);
  return request ? writers[language](request) : script;
}

/** A text between single quotes, in JavaScript, PHP and Python alike. */
const quoted = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;

type Literals = {
  open: string;
  close: string;
  pair: (name: string, value: string) => string;
  words: Readonly<Record<'true' | 'false' | 'null', string>>;
  /** Lists, where they are written otherwise than objects. */
  list: readonly [string, string];
};

const plainWords = { true: 'true', false: 'false', null: 'null' } as const;

/** A JSON value as a literal of a language. */
function literal(value: unknown, its: Literals, indent = ''): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') return String(value);
  if (value === null || typeof value === 'boolean') return its.words[`${value}`];
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const parts = isList
    ? value.map((one) => literal(one, its, inner))
    : Object.entries(value as object).map(([name, one]) =>
        its.pair(quoted(name), literal(one, its, inner)),
      );
  const [open, close] = isList ? its.list : [its.open, its.close];
  if (parts.length === 0) return open + close;
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close}`;
}

const javaScript: Literals = {
  open: '{',
  close: '}',
  pair: (name, value) => `${name}: ${value}`,
  words: plainWords,
  list: ['[', ']'],
};
const python: Literals = { ...javaScript, words: { true: 'True', false: 'False', null: 'None' } };
const php: Literals = {
  ...javaScript,
  open: '[',
  close: ']',
  pair: (name, value) => `${name} => ${value}`,
};

function nodeSample({ method, url, headers, body }: SampleRequest): string {
  const given = literal(Object.fromEntries(headers), javaScript, '  ');
  const travels =
    body === undefined ? '' : `\n  body: JSON.stringify(${literal(body, javaScript, '  ')}),`;
  return `const reply = await fetch(${quoted(url)}, {
  method: ${quoted(method)},
  headers: ${given},${travels}
});
console.log(reply.status, await reply.text());`;
}

function phpSample({ method, url, headers, body }: SampleRequest): string {
  const lines = literal(
    headers.map(([name, value]) => `${name}: ${value}`),
    php,
    '  ',
  );
  const travels =
    body === undefined ? '' : `\n  CURLOPT_POSTFIELDS => json_encode(${literal(body, php, '  ')}),`;
  return `<?php
$request = curl_init(${quoted(url)});
curl_setopt_array($request, [
  CURLOPT_CUSTOMREQUEST => ${quoted(method)},
  CURLOPT_RETURNTRANSFER => true,
  CURLOPT_HTTPHEADER => ${lines},${travels}
]);
echo curl_exec($request);`;
}

function pythonSample({ method, url, headers, body }: SampleRequest): string {
  const given = literal(Object.fromEntries(headers), python, '  ');
  const travels =
    body === undefined ? '' : `\n  data=json.dumps(${literal(body, python, '  ')}).encode(),`;
  return `import json
import urllib.request

request = urllib.request.Request(
  ${quoted(url)},
  method=${quoted(method)},
  headers=${given},${travels}
)
with urllib.request.urlopen(request) as reply:
  print(reply.status, reply.read().decode())`;
}

/** A text between double quotes, as Go and JSON write it. */
const goText = (text: string): string => JSON.stringify(text);

function goSample({ method, url, headers, body }: SampleRequest): string {
  const travels = body === undefined ? 'nil' : `strings.NewReader(${goText(JSON.stringify(body))})`;
  const imports = ['fmt', 'io', 'net/http', ...(body === undefined ? [] : ['strings'])];
  return `package main

import (
${imports.map((one) => `\t"${one}"`).join('\n')}
)

func main() {
\trequest, err := http.NewRequest(${goText(method)}, ${goText(url)}, ${travels})
\tif err != nil {
\t\tpanic(err)
\t}
${headers.map(([name, value]) => `\trequest.Header.Set(${goText(name)}, ${goText(value)})`).join('\n')}
\treply, err := http.DefaultClient.Do(request)
\tif err != nil {
\t\tpanic(err)
\t}
\tdefer reply.Body.Close()
\tanswer, _ := io.ReadAll(reply.Body)
\tfmt.Println(reply.Status, string(answer))
}`;
}
