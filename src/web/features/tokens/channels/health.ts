const PERCENT = new Intl.NumberFormat('id-ID', {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});

/** The share of time a number was connected; `null`: never. @param uptime in ten-thousandths */
export const uptimeWords = (uptime: number | null): string =>
  uptime === null ? 'Belum ada' : `${PERCENT.format(uptime / 100)}%`;
