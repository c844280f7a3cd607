// The server's side of the simulated cluster's authority, for what the lab puts behind real TLS: the API server at
// 10.0.0.10 and the download hosts. Made once with openssl, together with src/simulator/cluster/certificates.ts.

export const SERVER_CERTIFICATE = {
  cert: `-----BEGIN CERTIFICATE-----
MIIB3jCCAYOgAwIBAgIULxiLO4aA/rN81TbNYkWlrRUF1MwwCgYIKoZIzj0EAwIw
FTETMBEGA1UEAwwKa3ViZXJuZXRlczAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEw
MTAwMDAwMFowGTEXMBUGA1UEAwwOa3ViZS1hcGlzZXJ2ZXIwWTATBgcqhkjOPQIB
BggqhkjOPQMBBwNCAAQ+CNy4ywZFDfIc222gPHzHLFAm9tpFl9fN0pqMqTfD6DLM
lx3fFFgP2sAgro+oA7AaQEA3JO0ZTaSaM3eJRwuZo4GqMIGnMAwGA1UdEwEB/wQC
MAAwEwYDVR0lBAwwCgYIKwYBBQUHAwEwDgYDVR0PAQH/BAQDAgeAMB0GA1UdDgQW
BBSqSg7XXj8WX3TESwhuzKmFEx7QYDAfBgNVHSMEGDAWgBSMFe3kyvOVprT7Jiz6
VVRCb2Yf1TAyBgNVHREEKzAphwQKAAAKggprdWJlcm5ldGVzgglkbC5rOHMuaW+C
CmdpdGh1Yi5jb20wCgYIKoZIzj0EAwIDSQAwRgIhAKgtr3d5EMZgQrVlKIvbOogA
yW/PFuKW6M1mUfQmdr72AiEAz6i/exlJel0aJGBYFszEOLmb3s6QptI+BL+ybJOL
XjM=
-----END CERTIFICATE-----
`,
  key: `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgNzfGwtFZ/3e2uXwE
jIyK8yyWqFbflipj+RFjjcFQ7c2hRANCAAQ+CNy4ywZFDfIc222gPHzHLFAm9tpF
l9fN0pqMqTfD6DLMlx3fFFgP2sAgro+oA7AaQEA3JO0ZTaSaM3eJRwuZ
-----END PRIVATE KEY-----
`,
}
