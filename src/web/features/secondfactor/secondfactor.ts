// What other features may know of this one.
export { FactorAnswer } from '#web/features/secondfactor/FactorAnswer.tsx';
export { makePasskey, passkeySentence } from '#web/features/secondfactor/passkeys.ts';
export { SecondFactorStep } from '#web/features/secondfactor/SecondFactorStep.tsx';
