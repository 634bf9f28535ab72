-- who runs a job that only one node should run, and until when nobody else may
create table job_lease (
  job text collate "C" not null primary key,
  leased_until text collate "C" not null
);
