export type NamedFile = { name: string; type?: string; bytes: Buffer | string };

const BOUNDARY = '----kabari-form';

/**
 * A form byte by byte, its parts in the given order: a browser's own would clean some names first.
 * @param parts texts, and files.
 */
export function fileForm(parts: readonly (readonly [name: string, value: string | NamedFile])[]): {
  body: Buffer;
  headers: { 'content-type': string };
} {
  const written = parts.flatMap(([name, value]) => {
    const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"`;
    if (typeof value === 'string') return [`${head}\r\n\r\n${value}\r\n`];
    const type = value.type === undefined ? '' : `Content-Type: ${value.type}\r\n`;
    return [
      `${head}; filename="${value.name.replaceAll('"', '%22')}"\r\n${type}\r\n`,
      value.bytes,
      '\r\n',
    ];
  });
  const body = Buffer.concat([...written, `--${BOUNDARY}--\r\n`].map((part) => Buffer.from(part)));
  return { body, headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` } };
}
