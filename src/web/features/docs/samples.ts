export const languages = ['curl', 'node', 'php', 'python', 'go'] as const;
export type SampleLanguage = (typeof languages)[number];

export const languageTitle: Record<SampleLanguage, string> = {
  curl: 'curl',
  node: 'Node.js',
  php: 'PHP',
  python: 'Python',
  go: 'Go',
};

export type SampleRequest = {
  method: string;
  url: string;
  headers: readonly (readonly [name: string, value: string])[];
  body: unknown;
  /** The form sent instead of JSON: one file, and texts. */
  form?: SampleForm;
};

/** `file` is the name of a file in the program's folder. */
type SampleForm = { file: string; texts: readonly (readonly [name: string, value: string])[] };

/** Shell words: single-quoted text is literal, elsewhere `$NAME` becomes `YOUR_NAME`. */
const word = /'([^']*)'|"((?:[^"\\]|\\.)*)"|([^\s'"]+)/g;

const named = (text: string): string => text.replaceAll(/\$(\w+)/g, 'YOUR_$1');

function wordsOf(script: string): string[] {
  const line = script.replaceAll('\\\n', ' ');
  return [...line.matchAll(word)].map(
    ([, single, double, bare = '']) => single ?? named(double ?? bare),
  );
}

/** Parses one curl call in our documents' style; undefined for anything else. */
export function readCurl(script: string): SampleRequest | undefined {
  const [command, ...given] = wordsOf(script.trim());
  if (command !== 'curl') return undefined;
  const headers: [string, string][] = [];
  const fields: string[] = [];
  let [url, method, text]: (string | undefined)[] = [];
  for (let at = 0; at < given.length; at++) {
    const one = given[at] ?? '';
    if (one === '-H') {
      const [, name = '', value = ''] = /^([^:]+):\s*(.*)$/s.exec(given[++at] ?? '') ?? [];
      headers.push([name, value]);
    } else if (one === '-d') text = given[++at];
    else if (one === '-F') fields.push(given[++at] ?? '');
    else if (one === '-X') method = given[++at];
    else if (one.startsWith('-') || url !== undefined) return undefined;
    else url = one;
  }
  if (url === undefined || !/^https?:\/\//.test(url)) return undefined;
  const form = formOf(fields);
  if (form) return { method: method ?? 'POST', url, headers, body: undefined, form };
  try {
    const body: unknown = text === undefined ? undefined : JSON.parse(text);
    return { method: method ?? (body === undefined ? 'GET' : 'POST'), url, headers, body };
  } catch {
    return undefined;
  }
}

/** The fields of `-F`, `file=@a.png` and `name=value`; undefined without a file. */
function formOf(fields: readonly string[]): SampleForm | undefined {
  const pairs = fields.map((field) => /^(\w+)=(@?)(.*)$/s.exec(field) ?? []);
  const file = pairs.find(([, , at]) => at === '@')?.[3];
  if (file === undefined) return undefined;
  return {
    file,
    texts: pairs.flatMap(([, name = '', at, value = '']) => (at === '@' ? [] : [[name, value]])),
  };
}

const writers: Record<Exclude<SampleLanguage, 'curl'>, (request: SampleRequest) => string> = {
  node: nodeSample,
  php: phpSample,
  python: pythonSample,
  go: goSample,
};

/** An example in a language; curl, and anything that is not a curl call, is returned as written. */
export function sampleIn(language: SampleLanguage, script: string): string {
  if (language === 'curl') return script;
  const request = readCurl(script);
  return request ? writers[language](request) : script;
}

const quoted = (text: string): string =>
  `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`;

type Literals = {
  open: string;
  close: string;
  pair: (name: string, value: string) => string;
  words: Readonly<Record<'true' | 'false' | 'null', string>>;
  /** Brackets of a list, if they differ from those of an object. */
  list: readonly [string, string];
};

const plainWords = { true: 'true', false: 'false', null: 'null' } as const;

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

function nodeSample({ method, url, headers, body, form }: SampleRequest): string {
  const given = literal(Object.fromEntries(headers), javaScript, '  ');
  const json =
    body === undefined ? undefined : `JSON.stringify(${literal(body, javaScript, '  ')})`;
  const content = form ? 'form' : json;
  const travels = content === undefined ? '' : `\n  body: ${content},`;
  return `${form ? nodeForm(form) : ''}const reply = await fetch(${quoted(url)}, {
  method: ${quoted(method)},
  headers: ${given},${travels}
});
console.log(reply.status, await reply.text());`;
}

const nodeForm = ({
  file,
  texts,
}: SampleForm): string => `import { openAsBlob } from ${quoted('node:fs')};

const form = new FormData();
form.append('file', await openAsBlob(${quoted(file)}), ${quoted(file)});
${texts.map(([name, value]) => `form.append(${quoted(name)}, ${quoted(value)});\n`).join('')}`;

function phpSample({ method, url, headers, body, form }: SampleRequest): string {
  const lines = literal(
    headers.map(([name, value]) => `${name}: ${value}`),
    php,
    '  ',
  );
  const json = body === undefined ? undefined : `json_encode(${literal(body, php, '  ')})`;
  const content = form ? phpForm(form) : json;
  const travels = content === undefined ? '' : `\n  CURLOPT_POSTFIELDS => ${content},`;
  return `<?php
$request = curl_init(${quoted(url)});
curl_setopt_array($request, [
  CURLOPT_CUSTOMREQUEST => ${quoted(method)},
  CURLOPT_RETURNTRANSFER => true,
  CURLOPT_HTTPHEADER => ${lines},${travels}
]);
echo curl_exec($request);`;
}

const phpForm = ({ file, texts }: SampleForm): string => `[
    'file' => new CURLFile(${quoted(file)}),
${texts.map(([name, value]) => `    ${quoted(name)} => ${quoted(value)},\n`).join('')}  ]`;

function pythonSample({ method, url, headers, body, form }: SampleRequest): string {
  if (form) return pythonForm({ method, url, headers, form });
  const given = literal(Object.fromEntries(headers), python, '  ');
  const travels =
    body === undefined ? '' : `\n  data=json.dumps(${literal(body, python, '  ')}).encode(),`;
  return `import json
import urllib.error
import urllib.request

request = urllib.request.Request(
  ${quoted(url)},
  method=${quoted(method)},
  headers=${given},${travels}
)
try:
  reply = urllib.request.urlopen(request)
except urllib.error.HTTPError as error:
  reply = error
print(reply.status, reply.read().decode())`;
}

type FormRequest = Pick<SampleRequest, 'method' | 'url' | 'headers'> & { form: SampleForm };

/** Python has no multipart forms of its own. */
const pythonForm = ({ method, url, headers, form }: FormRequest): string => `import requests

reply = requests.request(
  ${quoted(method)},
  ${quoted(url)},
  headers=${literal(Object.fromEntries(headers), python, '  ')},
  files={'file': open(${quoted(form.file)}, 'rb')},
  data=${literal(Object.fromEntries(form.texts), python, '  ')},
)
print(reply.status_code, reply.text)`;

const goText = (text: string): string => JSON.stringify(text);

function goSample({ method, url, headers, body, form }: SampleRequest): string {
  const json = body === undefined ? 'nil' : `strings.NewReader(${goText(JSON.stringify(body))})`;
  const travels = form ? '&body' : json;
  const imports = form
    ? ['bytes', 'fmt', 'io', 'mime/multipart', 'net/http', 'os']
    : ['fmt', 'io', 'net/http', ...(body === undefined ? [] : ['strings'])];
  return `package main

import (
${imports.map((one) => `\t"${one}"`).join('\n')}
)

func main() {
${form ? goForm(form) : ''}\trequest, err := http.NewRequest(${goText(method)}, ${goText(url)}, ${travels})
\tif err != nil {
\t\tpanic(err)
\t}
${headers.map(([name, value]) => `\trequest.Header.Set(${goText(name)}, ${goText(value)})`).join('\n')}${form ? goFormType : ''}
\treply, err := http.DefaultClient.Do(request)
\tif err != nil {
\t\tpanic(err)
\t}
\tdefer reply.Body.Close()
\tanswer, _ := io.ReadAll(reply.Body)
\tfmt.Println(reply.Status, string(answer))
}`;
}

const goFormType = `
\trequest.Header.Set("Content-Type", form.FormDataContentType())`;

const goForm = ({ file, texts }: SampleForm): string => `\tfile, err := os.Open(${goText(file)})
\tif err != nil {
\t\tpanic(err)
\t}
\tvar body bytes.Buffer
\tform := multipart.NewWriter(&body)
\tpart, _ := form.CreateFormFile("file", ${goText(file)})
\tio.Copy(part, file)
${texts.map(([name, value]) => `\tform.WriteField(${goText(name)}, ${goText(value)})\n`).join('')}\tform.Close()
`;
