// Loaded before the application (`--import`): on SIGUSR2 its clock jumps by CHAOS_CLOCK_SECONDS. Only wall-clock time
// is shifted; timers and `performance` continue, as on a machine whose clock was set wrongly.
const byMs = Number(process.env.CHAOS_CLOCK_SECONDS ?? 0) * 1_000;
const RealDate = Date;
let shiftMs = 0;

class ShiftedDate extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + shiftMs);
    else super(...given);
  }

  static now() {
    return RealDate.now() + shiftMs;
  }
}

if (byMs !== 0) {
  globalThis.Date = ShiftedDate;
  process.on('SIGUSR2', () => {
    shiftMs = byMs;
  });
}
