const PERCENT = new Intl.NumberFormat('id-ID', {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});

/** The part of the time in which a number was connected; `null`: it never was. @param uptime in ten-thousandths */
export const uptimeWords = (uptime: number | null): string =>
  uptime === null ? 'Belum ada' : `${PERCENT.format(uptime / 100)}%`;
