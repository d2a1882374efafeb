import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, rmdirSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type SmallDisk = {
  folder: string;
  fill: () => void;
  empty: () => void;
  remove: () => void;
};

/** Only root may mount one, on Linux. */
export const mayMount = process.getuid?.() === 0 && process.platform === 'linux' && tryMount();

function tryMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'kabari-mount-'));
  const mounted = spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', folder]).status === 0;
  if (mounted) spawnSync('umount', [folder]);
  rmdirSync(folder);
  return mounted;
}

/** @param megabytes its size; `remove` deletes everything on it. */
export function makeSmallDisk(megabytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'kabari-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'tmpfs', folder]);
  const filler = join(folder, 'filler');
  return {
    folder,
    fill: () => {
      for (let n = 0; statfsSync(folder).bavail > 0; n++) {
        spawnSync('dd', ['if=/dev/zero', `of=${filler}.${n}`, 'bs=64k']);
      }
    },
    empty: () => {
      for (let n = 0; n < 100; n++) rmSync(`${filler}.${n}`, { force: true });
    },
    remove: () => {
      execFileSync('umount', ['--lazy', folder]);
      rmdirSync(folder);
    },
  };
}

/** A disk in a file: unsynced writes are not in the file yet, as on a disk that loses its power. */
export type ImageDisk = {
  folder: string;
  /** Mounts a copy of the current file. Only once nothing writes any more: it takes a moment. */
  copyImage: (place: string) => ImageDisk;
  remove: () => void;
};

/**
 * @param place a path that does not exist yet; the disk is mounted there, its file is beside it.
 * @param megabytes its size; the file grows only with the written data.
 */
export function makeImageDisk(place: string, megabytes: number): ImageDisk {
  const image = `${place}.img`;
  execFileSync('truncate', ['-s', `${megabytes}M`, image]);
  execFileSync('mkfs.ext4', ['-q', '-F', image]);
  return mountImage(place, image);
}

function mountImage(folder: string, image: string): ImageDisk {
  mkdirSync(folder);
  // Only fsync writes the journal while a test runs.
  execFileSync('mount', ['-o', 'loop,commit=300', image, folder]);
  return {
    folder,
    copyImage: (place) => {
      execFileSync('cp', ['--sparse=always', image, `${place}.img`]);
      return mountImage(place, `${place}.img`);
    },
    remove: () => {
      execFileSync('umount', ['--lazy', folder]);
      rmSync(image);
    },
  };
}
