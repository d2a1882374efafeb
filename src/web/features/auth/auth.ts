// The parts of this feature that other features may import.
export { UsernameField } from '#web/features/auth/password/UsernameField.tsx';
export { NewPasswordField } from '#web/features/auth/password/NewPasswordField.tsx';
export { Resend } from '#web/features/auth/otp/Resend.tsx';
export { SimulatorHint } from '#web/features/auth/otp/SimulatorHint.tsx';
