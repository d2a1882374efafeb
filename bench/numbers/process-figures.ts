import { readFile, readdir, readlink } from 'node:fs/promises';

const lines = async (file: string): Promise<string[][]> =>
  (await readFile(file, 'utf8'))
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/));

/** Sockets of a process: all, those to a TCP port, and Unix ones; Linux only. */
export async function socketsOf(
  pid: number,
  port: number,
): Promise<{ all: number; toPort: number; unix: number }> {
  const folder = `/proc/${pid}/fd`;
  const targets = await Promise.all(
    (await readdir(folder)).map((fd) => readlink(`${folder}/${fd}`).catch(() => '')),
  );
  const inodes = new Set(
    targets.flatMap((target) => /^socket:\[(\d+)\]$/.exec(target)?.slice(1) ?? []),
  );
  const [tcp, unix] = await Promise.all(
    ['tcp', 'unix'].map((kind) => lines(`/proc/${pid}/net/${kind}`)),
  );
  const remote = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return {
    all: inodes.size,
    toPort: tcp?.filter((row) => row[2]?.endsWith(remote) && inodes.has(row[9] ?? '')).length ?? 0,
    unix: unix?.filter((row) => inodes.has(row[6] ?? '')).length ?? 0,
  };
}
