// The parts of this feature that other features may import.
export { FactorAnswer } from '#web/features/secondfactor/FactorAnswer.tsx';
export { makePasskey, passkeySentence } from '#web/features/secondfactor/passkeys.ts';
export { SecondFactorStep } from '#web/features/secondfactor/SecondFactorStep.tsx';
