/** States in the forms that OAuth libraries make. */
export const LIBRARY_STATES = {
  // 32 random bytes in padded base64url.
  spring: "9Vb1xYpqTnm0sT2H6pC5m7zq-oXr_Q8yK3uW4dLJvAE=",
  // A random string in base64.
  auth0: "RHo5Vn5hLjZfSDJrUTAtWmM4Yn5UdzFpUy5PN2dMX3g+Lz9KM25QMHFFbQ==",
  // A library state in base64, and the application's own after a bar.
  msal: "eyJpZCI6IjAxOGY2YzJhLTdkM2ItNzQ1Ny05YzFkLTNmMmE1YjZjN2Q4ZSJ9|https://app.example/after?tab=1",
  // Encrypted by the application: five parts of base64url.
  authJs: `eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2Q0JDLUhTNTEyIn0..${"kT3-_x9Zq".repeat(3)}.${"Qm8vY2hhbGxlbmdl".repeat(24)}.${"pA7w".repeat(11)}`,
  allauth: "jY2kQ0vT8sLw4ZbN",
  json: '{"id":"4c1f","back":"\\\\apps\\\\rover"}',
};
