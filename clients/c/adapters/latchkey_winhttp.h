/* Sends the client's requests by WinHTTP, with the certificates and the proxy of the system. */
#ifndef LATCHKEY_WINHTTP_H
#define LATCHKEY_WINHTTP_H

#include "latchkey.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The transport for the options of a client. */
latchkey_transport latchkey_winhttp_transport(void);

#ifdef __cplusplus
}
#endif

#endif
