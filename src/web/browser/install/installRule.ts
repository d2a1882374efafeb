type Facts = {
  visits: number;
  acted: boolean;
  putOff: boolean;
};

/** Offers the installation only to returning visitors who did something. */
export const isWorthOffering = ({ visits, acted, putOff }: Facts): boolean =>
  visits >= 2 && acted && !putOff;
