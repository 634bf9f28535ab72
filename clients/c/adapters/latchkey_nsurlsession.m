#import "latchkey_nsurlsession.h"

#import <Foundation/Foundation.h>

/* Follows no redirect: the answer that redirects is the answer. */
@interface LatchkeySessionDelegate : NSObject <NSURLSessionTaskDelegate>
@end

@implementation LatchkeySessionDelegate
- (void)URLSession:(NSURLSession *)session
                          task:(NSURLSessionTask *)task
    willPerformHTTPRedirection:(NSHTTPURLResponse *)response
                    newRequest:(NSURLRequest *)request
             completionHandler:(void (^)(NSURLRequest *))completionHandler {
    completionHandler(nil);
}
@end

static latchkey_sent failureOf(NSError *error) {
    switch (error.code) {
    case NSURLErrorTimedOut:
        return LATCHKEY_SENT_TIMEOUT;
    case NSURLErrorSecureConnectionFailed:
    case NSURLErrorServerCertificateHasBadDate:
    case NSURLErrorServerCertificateUntrusted:
    case NSURLErrorServerCertificateHasUnknownRoot:
    case NSURLErrorServerCertificateNotYetValid:
        return LATCHKEY_SENT_TLS;
    default:
        return LATCHKEY_SENT_NOTHING;
    }
}

static latchkey_sent readAnswer(NSHTTPURLResponse *response, NSData *data, latchkey_answer *answer) {
    latchkey_answer_status(answer, (int)response.statusCode);
    for (NSString *name in response.allHeaderFields) {
        NSString *value = [response.allHeaderFields objectForKey:name];
        const char *nameText = name.UTF8String, *valueText = value.UTF8String;
        latchkey_answer_header(answer, nameText, strlen(nameText), valueText, strlen(valueText));
    }
    return latchkey_answer_body(answer, data.bytes, data.length) ? LATCHKEY_SENT : LATCHKEY_SENT_NOTHING;
}

static latchkey_sent sendRequest(void *context, const latchkey_request *request, latchkey_answer *answer) {
    @autoreleasepool {
        __block latchkey_sent sent = LATCHKEY_SENT_NOTHING;
        NSURL *address = [NSURL URLWithString:[NSString stringWithUTF8String:request->url]];
        NSMutableURLRequest *message = [NSMutableURLRequest requestWithURL:address];
        NSURLSessionConfiguration *configuration = [NSURLSessionConfiguration ephemeralSessionConfiguration];
        configuration.timeoutIntervalForResource = (double)request->timeout_ms / 1000;
        if (request->body != NULL) {
            message.HTTPMethod = @"POST";
            message.HTTPBody = [NSData dataWithBytes:request->body length:request->body_length];
            [message setValue:@"application/json" forHTTPHeaderField:@"Content-Type"];
        }
        NSURLSession *session = [NSURLSession sessionWithConfiguration:configuration
                                                              delegate:[[LatchkeySessionDelegate alloc] init]
                                                         delegateQueue:nil];
        dispatch_semaphore_t done = dispatch_semaphore_create(0);
        NSURLSessionDataTask *task =
            [session dataTaskWithRequest:message
                       completionHandler:^(NSData *data, NSURLResponse *response, NSError *error) {
                         if (error != nil) {
                             latchkey_answer_problem(answer, error.localizedDescription.UTF8String);
                             sent = failureOf(error);
                         } else {
                             sent = readAnswer((NSHTTPURLResponse *)response, data, answer);
                         }
                         dispatch_semaphore_signal(done);
                       }];
        [task resume];
        dispatch_semaphore_wait(done, DISPATCH_TIME_FOREVER);
        [session finishTasksAndInvalidate];
        return sent;
    }
}

latchkey_transport latchkey_nsurlsession_transport(void) {
    const latchkey_transport transport = {sendRequest, NULL};
    return transport;
}
