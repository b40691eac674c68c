//! The settings that Java's producer and consumer of Kafka 4.3.1 have with the same default and range: type, default,
//! allowed values.
//!
//! A table and nothing else: each client adds its own. They are about connections, their security and metrics.

use super::Definition;

definitions! {
    /// Settings of both, in name order.
    JAVA_CONNECTION
    "bootstrap.servers" List "" any "Initial broker addresses used to discover the cluster.";
    "client.dns.lookup" String "use_all_dns_ips" one_of("use_all_dns_ips", "resolve_canonical_bootstrap_servers_only") "How the addresses of a broker name are tried.";
    "config.providers" List "" any "Sources from which setting values may be read.";
    "connections.max.idle.ms" Long "540000" any "Close a connection that was unused for this long.";
    "enable.metrics.push" Boolean "true" any "Let the cluster ask the client for its metrics.";
    "interceptor.classes" List "" any "Hooks that see records before send and on acknowledgement.";
    "metadata.recovery.rebootstrap.trigger.ms" Long "300000" min(0) "Start again from bootstrap.servers without metadata for this long.";
    "metadata.recovery.strategy" String "rebootstrap" one_of_ignoring_case("REBOOTSTRAP", "NONE") "What to do when no known broker answers.";
    "metric.reporters" List "org.apache.kafka.common.metrics.JmxReporter" any "Classes that receive the metrics.";
    "metrics.num.samples" Int "2" min(1) "Samples kept for each metric.";
    "metrics.recording.level" String "INFO" one_of("INFO", "DEBUG", "TRACE") "How detailed metrics are.";
    "metrics.sample.window.ms" Long "30000" min(0) "Time that one metric sample covers.";
    "sasl.client.callback.handler.class" Class "" any "Part of SASL authentication.";
    "sasl.jaas.config" Password "" any "Part of SASL authentication.";
    "sasl.kerberos.kinit.cmd" String "/usr/bin/kinit" any "Part of Kerberos authentication.";
    "sasl.kerberos.min.time.before.relogin" Long "60000" any "Part of Kerberos authentication.";
    "sasl.kerberos.service.name" String "" any "Part of Kerberos authentication.";
    "sasl.kerberos.ticket.renew.jitter" Double "0.05" any "Part of Kerberos authentication.";
    "sasl.kerberos.ticket.renew.window.factor" Double "0.8" any "Part of Kerberos authentication.";
    "sasl.login.callback.handler.class" Class "" any "Part of the login for SASL.";
    "sasl.login.class" Class "" any "Part of the login for SASL.";
    "sasl.login.connect.timeout.ms" Int "" any "Part of the login for SASL.";
    "sasl.login.read.timeout.ms" Int "" any "Part of the login for SASL.";
    "sasl.login.refresh.buffer.seconds" Short "300" range(0, 3600) "Part of the login for SASL.";
    "sasl.login.refresh.min.period.seconds" Short "60" range(0, 900) "Part of the login for SASL.";
    "sasl.login.refresh.window.factor" Double "0.8" decimal("0.5", "1.0") "Part of the login for SASL.";
    "sasl.login.refresh.window.jitter" Double "0.05" decimal("0.0", "0.25") "Part of the login for SASL.";
    "sasl.login.retry.backoff.max.ms" Long "10000" any "Part of the login for SASL.";
    "sasl.login.retry.backoff.ms" Long "100" any "Part of the login for SASL.";
    "sasl.mechanism" String "GSSAPI" any "Part of SASL authentication.";
    "sasl.oauthbearer.assertion.algorithm" String "RS256" one_of_ignoring_case("ES256", "RS256") "Part of OAuth authentication.";
    "sasl.oauthbearer.assertion.claim.aud" String "" any "Part of OAuth authentication.";
    "sasl.oauthbearer.assertion.claim.exp.seconds" Int "300" range(0, 86400) "Part of OAuth authentication.";
    "sasl.oauthbearer.assertion.claim.iss" String "" any "Part of OAuth authentication.";
    "sasl.oauthbearer.assertion.claim.jti.include" Boolean "false" any "Part of OAuth authentication.";
    "sasl.oauthbearer.assertion.claim.nbf.seconds" Int "60" range(0, 3600) "Part of OAuth authentication.";
    "sasl.oauthbearer.assertion.claim.sub" String "" any "Part of OAuth authentication.";
    "sasl.oauthbearer.assertion.file" String "" any "Part of OAuth authentication.";
    "sasl.oauthbearer.assertion.private.key.file" String "" any "Part of OAuth authentication.";
    "sasl.oauthbearer.assertion.private.key.passphrase" Password "" any "Part of OAuth authentication.";
    "sasl.oauthbearer.assertion.template.file" String "" any "Part of OAuth authentication.";
    "sasl.oauthbearer.client.credentials.client.id" String "" any "Part of OAuth authentication.";
    "sasl.oauthbearer.client.credentials.client.secret" Password "" any "Part of OAuth authentication.";
    "sasl.oauthbearer.clock.skew.seconds" Int "30" any "Part of OAuth authentication.";
    "sasl.oauthbearer.expected.audience" List "" any "Part of OAuth authentication.";
    "sasl.oauthbearer.expected.issuer" String "" any "Part of OAuth authentication.";
    "sasl.oauthbearer.header.urlencode" Boolean "false" any "Part of OAuth authentication.";
    "sasl.oauthbearer.jwks.endpoint.refresh.ms" Long "3600000" any "Part of OAuth authentication.";
    "sasl.oauthbearer.jwks.endpoint.retry.backoff.max.ms" Long "10000" any "Part of OAuth authentication.";
    "sasl.oauthbearer.jwks.endpoint.retry.backoff.ms" Long "100" any "Part of OAuth authentication.";
    "sasl.oauthbearer.jwks.endpoint.url" String "" any "Part of OAuth authentication.";
    "sasl.oauthbearer.jwt.retriever.class" Class "org.apache.kafka.common.security.oauthbearer.DefaultJwtRetriever" any "Part of OAuth authentication.";
    "sasl.oauthbearer.jwt.validator.class" Class "org.apache.kafka.common.security.oauthbearer.DefaultJwtValidator" any "Part of OAuth authentication.";
    "sasl.oauthbearer.scope" String "" any "Part of OAuth authentication.";
    "sasl.oauthbearer.scope.claim.name" String "scope" any "Part of OAuth authentication.";
    "sasl.oauthbearer.sub.claim.name" String "sub" any "Part of OAuth authentication.";
    "sasl.oauthbearer.token.endpoint.url" String "" any "Part of OAuth authentication.";
    "security.protocol" String "PLAINTEXT" one_of_ignoring_case("SASL_SSL", "PLAINTEXT", "SSL", "SASL_PLAINTEXT") "Encryption and authentication of the connections.";
    "security.providers" String "" any "Classes that provide security algorithms.";
    "send.buffer.bytes" Int "131072" min(-1) "Send buffer of a socket; -1 leaves it to the system.";
    "socket.connection.setup.timeout.max.ms" Long "30000" any "Longest time for one connection to be set up.";
    "socket.connection.setup.timeout.ms" Long "10000" any "First time limit for a connection to be set up.";
    "ssl.cipher.suites" List "" any "Part of TLS encryption.";
    "ssl.enabled.protocols" List "TLSv1.2,TLSv1.3" any "Part of TLS encryption.";
    "ssl.endpoint.identification.algorithm" String "https" any "Part of TLS encryption.";
    "ssl.engine.factory.class" Class "" any "Part of TLS encryption.";
    "ssl.key.password" Password "" any "Part of TLS encryption.";
    "ssl.keymanager.algorithm" String "SunX509" any "Part of TLS encryption.";
    "ssl.keystore.certificate.chain" Password "" any "Part of TLS encryption.";
    "ssl.keystore.key" Password "" any "Part of TLS encryption.";
    "ssl.keystore.location" String "" any "Part of TLS encryption.";
    "ssl.keystore.password" Password "" any "Part of TLS encryption.";
    "ssl.keystore.type" String "JKS" any "Part of TLS encryption.";
    "ssl.protocol" String "TLSv1.3" any "Part of TLS encryption.";
    "ssl.provider" String "" any "Part of TLS encryption.";
    "ssl.secure.random.implementation" String "" any "Part of TLS encryption.";
    "ssl.trustmanager.algorithm" String "PKIX" any "Part of TLS encryption.";
    "ssl.truststore.certificates" Password "" any "Part of TLS encryption.";
    "ssl.truststore.location" String "" any "Part of TLS encryption.";
    "ssl.truststore.password" Password "" any "Part of TLS encryption.";
    "ssl.truststore.type" String "JKS" any "Part of TLS encryption.";
}
