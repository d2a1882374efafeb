const HELD_MS = 60_000;

/** Downloads a file made in the browser. */
export function saveFile(name: string, file: Blob): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // Some browsers read the file only after a save dialog.
  setTimeout(() => URL.revokeObjectURL(address), HELD_MS);
}

/** Downloads a file from the server: same origin, with this file name. */
export function saveFrom(address: string, name: string): void {
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
}
