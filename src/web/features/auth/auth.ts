// The parts of this feature that other features may import.
export { UsernameField } from '#web/features/auth/password/UsernameField.tsx';
export { PasswordQuestion } from '#web/features/auth/password/PasswordQuestion.tsx';
export { usePasswordInput } from '#web/features/auth/password/usePasswordInput.ts';
export { NewPasswordField } from '#web/features/auth/password/NewPasswordField.tsx';
export { Resend } from '#web/features/auth/otp/Resend.tsx';
export { SimulatorHint } from '#web/features/auth/otp/SimulatorHint.tsx';
