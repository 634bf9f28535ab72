/** The service must allow the origin of the page: LATCHKEY_CORS_ORIGINS. */
export const options = {
  server: 'https://localhost:8443',
  productId: 'app',
};
