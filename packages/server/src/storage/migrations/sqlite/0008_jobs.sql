-- who runs a job that only one node should run, and until when nobody else may
create table job_lease (
  job text not null primary key,
  leased_until text not null
) strict;
