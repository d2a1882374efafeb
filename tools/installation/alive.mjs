/** Exit code 0 when the Kabari of this container answers: the health check of the image. */
const { ROLE, PORT, HEALTH_PORT } = process.env;
const port = HEALTH_PORT || (ROLE === 'worker' ? 9464 : PORT || 3000);
const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined);
process.exitCode = answer?.ok ? 0 : 1;
