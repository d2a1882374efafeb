export const SentTo = ({ sentTo }: { sentTo: string }) => (
  <span className="ink strong num nowrap">{sentTo}</span>
);
