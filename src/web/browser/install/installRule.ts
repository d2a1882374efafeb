type Facts = {
  /** How many times this browser has been here, this one included. */
  visits: number;
  /** Whether something was done in this visit: not looked at only. */
  acted: boolean;
  putOff: boolean;
};

/** Who came back and did something may like the app among the others; nobody else is asked. */
export const isWorthOffering = ({ visits, acted, putOff }: Facts): boolean =>
  visits >= 2 && acted && !putOff;
