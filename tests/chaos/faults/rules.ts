export type Rule =
  | 'answered the same'
  | 'not lost'
  | 'not doubled'
  | 'nothing unasked'
  | 'as it was asked'
  | 'ended as its phone does'
  | 'charged as it ended'
  | 'in the phone once'
  | 'never goes back'
  | 'events without gaps'
  | 'counted right'
  | 'answers kept'
  | 'told to its webhook'
  | 'nothing left over'
  | 'ledger'
  | 'the app lives'
  | 'every fault was injected';

export type Broken = { rule: Rule; what: string };
